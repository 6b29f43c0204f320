package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsrds"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// database is the PostgreSQL: its secret, and the resources that must exist
// before it can be used.
type database struct {
	secret secret
	ready  []constructs.IDependable
}

// before makes a resource wait for the database.
func (d database) before(c constructs.Construct) { c.Node().AddDependency(d.ready...) }

// newDatabase returns the user's own, named by a secret, or a new Aurora in a
// network of its own.
func newDatabase(s *site) (database, network) {
	if s.config.Database == "aurora" {
		return s.newAurora()
	}
	net := network{subnets: s.config.SubnetIDs, groups: s.config.SecurityGroupIDs}
	return database{secret: s.secretOf(s.config.DatabaseSecret, "database-url")}, net
}

const (
	postgresPort = 5432
	// The capacity of Aurora, in ACUs of 2 GiB. At the lower end it idles; the
	// upper end allows far more connections than the functions open.
	minCapacity, maxCapacity = 0.5, 4
	backupDays               = 14
)

// newAurora makes an Aurora Serverless v2 that only the functions reach.
// Deleting the stack leaves a snapshot of it, once its deletion protection has
// been switched off by hand. It has no name of ours, so that another one may be
// made while it is still there.
func (s *site) newAurora() (database, network) {
	vpc, net := s.newVPC()
	group := awsec2.NewSecurityGroup(s.stack, jsii.String("DatabaseSecurityGroup"), &awsec2.SecurityGroupProps{
		Vpc: vpc, AllowAllOutbound: jsii.Bool(false),
		Description: jsii.String("The database: the functions reach it, nobody else does"),
	})
	port := awsec2.Port_Tcp(jsii.Number(postgresPort))
	group.AddIngressRule(net.functions, port, jsii.String("The functions"), nil)
	net.functions.AddEgressRule(group, port, jsii.String("The database"), nil)
	cluster := called(awsrds.NewDatabaseCluster(s.stack, jsii.String("Database"), &awsrds.DatabaseClusterProps{
		Engine: awsrds.DatabaseClusterEngine_AuroraPostgres(&awsrds.AuroraPostgresClusterEngineProps{
			Version: awsrds.AuroraPostgresEngineVersion_VER_16_8(),
		}),
		DefaultDatabaseName: jsii.String("matchbook"),
		Credentials:         awsrds.Credentials_FromGeneratedSecret(jsii.String("matchbook"), nil),
		Writer: awsrds.ClusterInstance_ServerlessV2(jsii.String("Writer"), &awsrds.ServerlessV2ClusterInstanceProps{
			AutoMinorVersionUpgrade: jsii.Bool(false), // the version has long support, and only the template changes it
		}),
		ServerlessV2MinCapacity: jsii.Number(minCapacity),
		ServerlessV2MaxCapacity: jsii.Number(maxCapacity),
		Vpc:                     vpc,
		VpcSubnets:              &awsec2.SubnetSelection{SubnetType: awsec2.SubnetType_PRIVATE_ISOLATED},
		SecurityGroups:          &[]awsec2.ISecurityGroup{group},
		StorageEncrypted:        jsii.Bool(true),
		IamAuthentication:       jsii.Bool(true),
		DeletionProtection:      jsii.Bool(s.config.DeletionProtection),
		RemovalPolicy:           awscdk.RemovalPolicy_SNAPSHOT,
		Backup:                  &awsrds.BackupProps{Retention: awscdk.Duration_Days(jsii.Number(backupDays))},
		CopyTagsToSnapshot:      jsii.Bool(true),
	}), "Database")
	writer := cluster.Node().FindChild(jsii.String("Writer"))
	awscdk.Validations_Of(writer).Acknowledge(&awscdk.Acknowledgment{
		Id:     jsii.String("CloudFormation-Validate::W9008"),
		Reason: jsii.String("It has no storage of its own: the cluster's is encrypted"),
	})
	s.accept(cluster.Node().FindChild(jsii.String("Secret")), "AwsSolutions-SMG4", "",
		"Rotation is the account's to turn on; the functions take a new password up by themselves")
	// The secret that is attached to the database has its host and port as well.
	arn := cluster.Secret().SecretArn()
	s.output("DatabaseSecretArn", "Where the database is and how to log in", arn)
	return database{secret{arn: arn, resource: arn}, []constructs.IDependable{cluster, group, net.functions}}, net
}
