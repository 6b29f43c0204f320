package doctor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// network is the part of a VPC that a function uses.
type network struct {
	subnets   []subnet
	groups    []securityGroup
	endpoints []string // services with a VPC endpoint, such as sqs
}

// Ways out of a subnet.
const (
	wayNone     = ""
	wayInternet = "internet gateway"
	wayNAT      = "NAT" // or a transit gateway, an instance ...: anything that may translate addresses
)

type subnet struct{ id, way string }

type securityGroup struct {
	id  string
	out bool // to port 443
}

func (a *cloud) network(ctx context.Context, c version) fact[network] {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var n network
	tables, err := a.routeTables(ctx, c.vpc)
	if err != nil {
		return unknown[network]("ec2:DescribeRouteTables: " + err.Error())
	}
	for _, id := range c.subnets {
		n.subnets = append(n.subnets, subnet{id, tables.way(id)})
	}
	if n.groups, err = a.securityGroups(ctx, c.groups); err != nil {
		return unknown[network]("ec2:DescribeSecurityGroups: " + err.Error())
	}
	if n.endpoints, err = a.endpoints(ctx, c.vpc); err != nil {
		return unknown[network]("ec2:DescribeVpcEndpoints: " + err.Error())
	}
	return known(n)
}

type routeTable struct {
	Associations []struct {
		Subnet string `xml:"subnetId"`
		Main   bool   `xml:"main"`
	} `xml:"associationSet>item"`
	Routes []struct {
		To      string `xml:"destinationCidrBlock"`
		Gateway string `xml:"gatewayId"`
		State   string `xml:"state"`
	} `xml:"routeSet>item"`
}

type routeTables []routeTable

func (a *cloud) routeTables(ctx context.Context, vpc string) (routeTables, error) {
	var out struct {
		Tables routeTables `xml:"routeTableSet>item"`
	}
	err := a.ec2(ctx, "DescribeRouteTables", url.Values{"Filter.1.Name": {"vpc-id"}, "Filter.1.Value.1": {vpc}}, &out)
	return out.Tables, err
}

// way returns a subnet's way out: by its own table, otherwise by the VPC's main one.
func (tables routeTables) way(subnet string) string {
	way := wayNone
	for _, t := range tables {
		for _, at := range t.Associations {
			if at.Subnet == subnet {
				return t.way()
			}
			if at.Main {
				way = t.way()
			}
		}
	}
	return way
}

func (t routeTable) way() string {
	for _, r := range t.Routes {
		switch {
		case r.To != "0.0.0.0/0" || r.State == "blackhole":
		case strings.HasPrefix(r.Gateway, "igw-"):
			return wayInternet
		default:
			return wayNAT
		}
	}
	return wayNone
}

func (a *cloud) securityGroups(ctx context.Context, ids []string) (list []securityGroup, err error) {
	var out struct {
		Groups []struct {
			ID    string `xml:"groupId"`
			Rules []struct {
				Protocol string `xml:"ipProtocol"`
				From     int    `xml:"fromPort"`
				To       int    `xml:"toPort"`
			} `xml:"ipPermissionsEgress>item"`
		} `xml:"securityGroupInfo>item"`
	}
	query := url.Values{}
	for i, id := range ids {
		query.Set(fmt.Sprintf("GroupId.%d", i+1), id)
	}
	err = a.ec2(ctx, "DescribeSecurityGroups", query, &out)
	const https = 443
	for _, g := range out.Groups {
		found := securityGroup{id: g.ID}
		for _, r := range g.Rules {
			found.out = found.out || r.Protocol == "-1" || r.Protocol == "tcp" && r.From <= https && https <= r.To
		}
		list = append(list, found)
	}
	return list, err
}

func (a *cloud) endpoints(ctx context.Context, vpc string) (services []string, err error) {
	var out struct {
		Endpoints []struct {
			Service string `xml:"serviceName"`
			State   string `xml:"state"`
		} `xml:"vpcEndpointSet>item"`
	}
	err = a.ec2(ctx, "DescribeVpcEndpoints", url.Values{"Filter.1.Name": {"vpc-id"}, "Filter.1.Value.1": {vpc}}, &out)
	for _, e := range out.Endpoints {
		if strings.EqualFold(e.State, "available") {
			services = append(services, e.Service[strings.LastIndex(e.Service, ".")+1:])
		}
	}
	slices.Sort(services)
	return services, err
}

// ec2 calls EC2 without its SDK, because that has hundreds of calls more and would double the
// size of the command. Its form of answers is fixed by the version.
func (a *cloud) ec2(ctx context.Context, action string, query url.Values, out any) error {
	query.Set("Action", action)
	query.Set("Version", "2016-11-15")
	body := query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.ec2Endpoint(), strings.NewReader(body))
	if err != nil {
		return fmt.Errorf("invalid endpoint of EC2")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	credentials, err := a.config.Credentials.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("missing AWS credentials")
	}
	sum := sha256.Sum256([]byte(body))
	if err := v4.NewSigner().SignHTTP(ctx, credentials, req, hex.EncodeToString(sum[:]), "ec2", a.config.Region, time.Now()); err != nil {
		return fmt.Errorf("unsigned request: %T", err)
	}
	resp, err := (&http.Client{Timeout: callTimeout}).Do(req)
	if err != nil {
		return fmt.Errorf("%s", sentence(err))
	}
	defer resp.Body.Close()
	const most = 10 << 20
	text, err := io.ReadAll(io.LimitReader(resp.Body, most))
	if err == nil && resp.StatusCode != http.StatusOK {
		var refused struct {
			Code string `xml:"Errors>Error>Code"`
		}
		_ = xml.Unmarshal(text, &refused)
		return fmt.Errorf("AWS error (HTTP %d, %.60s)", resp.StatusCode, refused.Code)
	}
	if err == nil {
		err = xml.Unmarshal(text, out)
	}
	if err != nil {
		return fmt.Errorf("invalid answer of EC2")
	}
	return nil
}

func (a *cloud) ec2Endpoint() string {
	if a.config.BaseEndpoint != nil {
		return aws.ToString(a.config.BaseEndpoint)
	}
	domain := "amazonaws.com"
	if strings.HasPrefix(a.config.Region, "cn-") {
		domain += ".cn"
	}
	return "https://ec2." + a.config.Region + "." + domain
}
