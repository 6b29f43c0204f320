package main

import (
	"strconv"
	"time"

	"matchbook/infra/settings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsrds"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// database is the PostgreSQL database: the secret of the functions, the one of the tables' owner
// for migrations, and the resources to wait for before use.
type database struct {
	secret, owner secret
	// made reports whether migrations make the functions' user, from its secret.
	made  bool
	ready []constructs.IDependable
}

// before makes a resource wait for the database.
func (d database) before(c constructs.Construct) { c.Node().AddDependency(d.ready...) }

// newDatabase returns the user's database, given by a secret, or a new Aurora with a network.
func newDatabase(s *site) (database, network) {
	if s.config.Database == "aurora" {
		return s.newAurora()
	}
	net := network{subnets: s.config.SubnetIDs, groups: s.config.SecurityGroupIDs}
	given := s.secretOf(s.config.DatabaseSecret, "database-url")
	owner := given
	if s.config.MigrateSecret != "" { // because migrations can't go through a pooler, or need more rights
		owner = s.secretOf(s.config.MigrateSecret, "")
	}
	return database{secret: given, owner: owner}, net
}

const (
	postgresPort = 5432
	backupDays   = 14
	// A pausing database pauses when nobody has been connected for pauseAfter. So it must end the
	// sessions of sleeping instances of functions, which open new ones when they wake up.
	pauseAfter, idleSession = 5 * time.Minute, time.Minute
	// connectTimeout allows for the resume of a paused database, about 15 s and, after a day, 30 s.
	connectTimeout = 40 * time.Second
)

// newAurora makes an Aurora Serverless v2 reachable only by the functions. To delete the stack,
// switch off the deletion protection by hand; a snapshot stays. CloudFormation names it, so
// that another one can be made while it still exists.
func (s *site) newAurora() (database, network) {
	vpc, net := s.newVPC()
	group := awsec2.NewSecurityGroup(s.stack, jsii.String("DatabaseSecurityGroup"), &awsec2.SecurityGroupProps{
		Vpc: vpc, AllowAllOutbound: jsii.Bool(false),
		Description: jsii.String("The database: the functions reach it, nobody else does"),
	})
	port := awsec2.Port_Tcp(jsii.Number(postgresPort))
	group.AddIngressRule(net.functions, port, jsii.String("The functions"), nil)
	net.functions.AddEgressRule(group, port, jsii.String("The database"), nil)
	props := &awsrds.DatabaseClusterProps{
		Engine: awsrds.DatabaseClusterEngine_AuroraPostgres(&awsrds.AuroraPostgresClusterEngineProps{
			Version: awsrds.AuroraPostgresEngineVersion_VER_16_8(),
		}),
		DefaultDatabaseName: jsii.String("matchbook"),
		Credentials:         awsrds.Credentials_FromGeneratedSecret(jsii.String("matchbook"), nil),
		Writer: awsrds.ClusterInstance_ServerlessV2(jsii.String("Writer"), &awsrds.ServerlessV2ClusterInstanceProps{
			AutoMinorVersionUpgrade: jsii.Bool(false), // only the template changes the version, which has long-term support
		}),
		ServerlessV2MinCapacity: jsii.Number(s.config.MinCapacity),
		ServerlessV2MaxCapacity: jsii.Number(settings.MaxCapacity),
		Vpc:                     vpc,
		VpcSubnets:              &awsec2.SubnetSelection{SubnetType: awsec2.SubnetType_PRIVATE_ISOLATED},
		SecurityGroups:          &[]awsec2.ISecurityGroup{group},
		StorageEncrypted:        jsii.Bool(true),
		IamAuthentication:       jsii.Bool(true),
		DeletionProtection:      jsii.Bool(s.config.DeletionProtection),
		RemovalPolicy:           awscdk.RemovalPolicy_SNAPSHOT,
		Backup:                  &awsrds.BackupProps{Retention: awscdk.Duration_Days(jsii.Number(backupDays))},
		CopyTagsToSnapshot:      jsii.Bool(true),
	}
	s.extend(props)
	cluster := called(awsrds.NewDatabaseCluster(s.stack, jsii.String("Database"), props), "Database")
	for _, id := range []string{"Writer", "Reader"} {
		if instance := cluster.Node().TryFindChild(jsii.String(id)); instance != nil {
			awscdk.Validations_Of(instance).Acknowledge(&awscdk.Acknowledgment{
				Id:     jsii.String("CloudFormation-Validate::W9008"),
				Reason: jsii.String("The cluster's storage is encrypted, and the instance has none"),
			})
		}
	}
	login := cluster.Node().FindChild(jsii.String("Secret"))
	s.encrypt(login)
	s.accept(login, "AwsSolutions-SMG4", "",
		"The account decides about rotation; the functions pick up a new password by themselves")
	// Use the attached secrets, because they have host and port as well.
	arn, functions := cluster.Secret().SecretArn(), s.functionsLogin(cluster)
	s.output("DatabaseSecretArn", "The address of the database, and the credentials of its owner", arn)
	return database{secret: secret{arn: functions, resource: functions}, owner: secret{arn: arn, resource: arn}, made: true,
		ready: []constructs.IDependable{cluster, group, net.functions}}, net
}

// extend adds the optional parts of a cluster.
func (s *site) extend(props *awsrds.DatabaseClusterProps) {
	if s.config.Readers > 0 { // it takes over if the writer fails
		props.Readers = &[]awsrds.IClusterInstance{awsrds.ClusterInstance_ServerlessV2(jsii.String("Reader"),
			&awsrds.ServerlessV2ClusterInstanceProps{AutoMinorVersionUpgrade: jsii.Bool(false), ScaleWithWriter: jsii.Bool(true)})}
	}
	if s.config.LogExports {
		props.CloudwatchLogsExports = jsii.PtrSlice("postgresql")
	}
	if s.config.Pauses() {
		props.ServerlessV2AutoPauseDuration = seconds(pauseAfter)
		props.Parameters = &map[string]*string{"idle_session_timeout": jsii.String(strconv.FormatInt(idleSession.Milliseconds(), 10))}
	}
}

// functionsLogin makes the credentials of the functions' user, who can't change the schema. The
// migrations make the user.
func (s *site) functionsLogin(cluster awsrds.DatabaseCluster) (arn *string) {
	login := called(awsrds.NewDatabaseSecret(s.stack, jsii.String("FunctionsLogin"), &awsrds.DatabaseSecretProps{
		Username: jsii.String("matchbook_functions"), MasterSecret: cluster.Secret(), Dbname: jsii.String("matchbook"),
	}), "FunctionsLogin")
	s.encrypt(login)
	s.accept(login, "AwsSolutions-SMG4", "",
		"The account decides about rotation; the migrate function gives the user a new password, whenever it runs")
	return login.Attach(cluster).SecretArn()
}
