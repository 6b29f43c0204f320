# Deploys a release of Matchbook with Terraform. See ../TERRAFORM.md.

terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.80"
    }
  }
}

variable "release" {
  description = "The folder with the files of one release"
  type        = string
}

variable "name" {
  description = "The name of the deployment: a prefix of all names"
  type        = string
  default     = "matchbook-dev"
}

variable "stage" {
  description = "The stage, in metrics and logs"
  type        = string
  default     = "dev"
}

variable "secrets" {
  description = "The ARN of each secret by its variable, at least DATABASE_URL; OPENAI_API_KEY unless rules decide alone"
  type        = map(string)
}

variable "migrate_secret" {
  description = "The ARN of the secret with DATABASE_URL of the tables' owner; empty: the functions' own"
  type        = string
  default     = ""
}

variable "settings" {
  description = "Further variables of the contract, such as OPENAI_BASE_URL"
  type        = map(string)
  default     = {}
}

variable "optional" {
  description = "Optional functions to deploy; their URL, API and login are up to you"
  type        = list(string)
  default     = []
}

variable "key" {
  description = "The ARN of the KMS key of the secrets; empty: AWS's own"
  type        = string
  default     = ""
}

variable "network" {
  description = "The functions' subnets and security groups; null: outside a VPC"
  type        = object({ subnets = list(string), security_groups = list(string) })
  default     = null
}

variable "mail" {
  description = "The ARNs of the SES identities of EMAIL_FROM and EMAIL_TO"
  type        = list(string)
  default     = []
}

locals {
  contract  = jsondecode(file("${var.release}/${one(fileset(var.release, "matchbook_*_contract.json"))}"))
  functions = { for f in local.contract.functions : f.name => f if !f.optional || contains(var.optional, f.name) }
  queues    = { for name, f in local.functions : name => f.queue if f.queue != null }
  schedules = { for name, f in local.functions : name => f.schedule if f.schedule != "" }

  # What the contract's conditions name.
  given = concat(
    [""],
    [for variable, arn in var.secrets : "${variable}_SECRET_ARN"],
    keys(var.settings),
    [for variable, value in var.settings : "${variable}=${value}"],
    var.migrate_secret == "" ? [] : ["FUNCTIONS_DATABASE_URL_SECRET_ARN"],
    var.key == "" ? [] : ["key"],
    var.network == null ? [] : ["network"],
  )
  values = merge(
    { "stage" = var.stage, "files" = "s3://${aws_s3_bucket.files.id}" },
    { for name, q in aws_sqs_queue.queue : "queue:${name}" => q.url },
  )
  secrets = { for name, f in local.functions : name => merge(
    { for v in f.environment : v.name => var.secrets[v.name] if v.secret && contains(keys(var.secrets), v.name) },
    { for v in f.environment : v.name => var.migrate_secret if name == "migrate" && v.name == "DATABASE_URL" && var.migrate_secret != "" },
    { for v in f.environment : v.name => var.secrets["DATABASE_URL"] if v.name == "FUNCTIONS_DATABASE_URL" && var.migrate_secret != "" },
  ) }
  resources = merge(
    { "*" = ["*"], "files" = [aws_s3_bucket.files.arn], "key" = [var.key], "mail" = var.mail },
    { for name, q in aws_sqs_queue.queue : "queue:${name}" => [q.arn] },
    { for name, q in aws_sqs_queue.dead_letter : "dead-letters:${name}" => [q.arn] },
  )
}

resource "aws_sqs_queue" "dead_letter" {
  for_each                  = local.queues
  name                      = "${var.name}-${each.key}-dead-letter"
  message_retention_seconds = each.value.dead_letter_retention
  sqs_managed_sse_enabled   = true
}

resource "aws_sqs_queue" "queue" {
  for_each                   = local.queues
  name                       = "${var.name}-${each.key}"
  visibility_timeout_seconds = each.value.visibility_timeout
  message_retention_seconds  = each.value.retention
  sqs_managed_sse_enabled    = true
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letter[each.key].arn
    maxReceiveCount     = each.value.max_receive_count
  })
}

resource "aws_sqs_queue_redrive_allow_policy" "dead_letter" {
  for_each  = local.queues
  queue_url = aws_sqs_queue.dead_letter[each.key].url
  redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns   = [aws_sqs_queue.queue[each.key].arn]
  })
}

resource "aws_sqs_queue_policy" "queue" {
  for_each  = local.queues
  queue_url = aws_sqs_queue.queue[each.key].url
  policy = jsonencode({ Version = "2012-10-17", Statement = concat([{
    Effect    = "Deny"
    Principal = "*"
    Action    = "sqs:*"
    Resource  = aws_sqs_queue.queue[each.key].arn
    Condition = { Bool = { "aws:SecureTransport" = "false" } }
    }], [for folder in [each.value.watches] : {
    Effect    = "Allow"
    Principal = { Service = "s3.amazonaws.com" }
    Action    = "sqs:SendMessage"
    Resource  = aws_sqs_queue.queue[each.key].arn
    Condition = { ArnEquals = { "aws:SourceArn" = aws_s3_bucket.files.arn } }
  } if folder != ""]) })
}

resource "aws_s3_bucket" "files" {
  bucket_prefix = "${var.name}-"
}

resource "aws_s3_bucket_versioning" "files" {
  bucket = aws_s3_bucket.files.id
  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_public_access_block" "files" {
  bucket                  = aws_s3_bucket.files.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_policy" "files" {
  bucket = aws_s3_bucket.files.id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Effect    = "Deny"
    Principal = "*"
    Action    = "s3:*"
    Resource  = [aws_s3_bucket.files.arn, "${aws_s3_bucket.files.arn}/*"]
    Condition = { Bool = { "aws:SecureTransport" = "false" } }
  }] })
}

resource "aws_s3_bucket_notification" "files" {
  bucket     = aws_s3_bucket.files.id
  depends_on = [aws_sqs_queue_policy.queue]
  dynamic "queue" {
    for_each = { for name, q in local.queues : name => q.watches if q.watches != "" }
    content {
      queue_arn     = aws_sqs_queue.queue[queue.key].arn
      events        = ["s3:ObjectCreated:*"]
      filter_prefix = queue.value
    }
  }
}

resource "aws_iam_role" "function" {
  for_each = local.functions
  name     = "${var.name}-${each.key}"
  assume_role_policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Effect    = "Allow"
    Principal = { Service = "lambda.amazonaws.com" }
    Action    = "sts:AssumeRole"
  }] })
}

resource "aws_iam_role_policy" "function" {
  for_each = local.functions
  role     = aws_iam_role.function[each.key].id
  policy = jsonencode({ Version = "2012-10-17", Statement = [
    for p in each.value.permissions : merge({
      Effect = "Allow"
      Action = p.actions
      Resource = concat(
        p.resource == "logs" ? ["${aws_cloudwatch_log_group.function[each.key].arn}:*"] : [],
        [for variable, arn in local.secrets[each.key] : arn if p.resource == "secret:${variable}"],
        startswith(p.resource, "files:") ? ["${aws_s3_bucket.files.arn}/${trimprefix(p.resource, "files:")}"] : [],
        lookup(local.resources, p.resource, []),
      )
      }, {
      for name in ["Condition"] : name => { StringEquals = { "ses:FromAddress" = var.settings["EMAIL_FROM"] } }
      if p.resource == "mail"
    })
    if contains(local.given, p.when)
  ] })
}

resource "aws_cloudwatch_log_group" "function" {
  for_each          = local.functions
  name              = "/aws/lambda/${var.name}-${each.key}"
  retention_in_days = 30
}

resource "aws_lambda_function" "function" {
  for_each                       = local.functions
  function_name                  = "${var.name}-${each.key}"
  description                    = each.value.purpose
  filename                       = "${var.release}/${each.value.zip}"
  source_code_hash               = filebase64sha256("${var.release}/${each.value.zip}")
  runtime                        = local.contract.runtime
  handler                        = local.contract.handler
  architectures                  = [local.contract.architecture]
  timeout                        = each.value.timeout
  memory_size                    = each.value.memory
  reserved_concurrent_executions = each.value.reserved_concurrency
  publish                        = true
  role                           = aws_iam_role.function[each.key].arn
  depends_on                     = [aws_iam_role_policy.function, aws_cloudwatch_log_group.function]

  environment {
    variables = merge(
      { for v in each.value.environment : v.name => local.values[v.value] if v.value != "" },
      { for v in each.value.environment : v.name => var.settings[v.name] if contains(keys(var.settings), v.name) },
      { for variable, arn in local.secrets[each.key] : "${variable}_SECRET_ARN" => arn },
    )
  }

  tracing_config {
    mode = "Active"
  }

  dynamic "vpc_config" {
    for_each = var.network == null ? [] : [var.network]
    content {
      subnet_ids         = vpc_config.value.subnets
      security_group_ids = vpc_config.value.security_groups
    }
  }
}

# Migrations run whenever their bootstrap or a secret's ARN changes, before any new version takes
# traffic, and check that they can read all secrets.
resource "aws_lambda_invocation" "migrate" {
  function_name = aws_lambda_function.function["migrate"].function_name
  input         = "{}"
  triggers = {
    bootstrap = aws_lambda_function.function["migrate"].source_code_hash
    secrets   = jsonencode(local.secrets["migrate"])
  }
}

resource "aws_lambda_alias" "live" {
  for_each         = local.functions
  name             = "live"
  function_name    = aws_lambda_function.function[each.key].function_name
  function_version = aws_lambda_function.function[each.key].version
  depends_on       = [aws_lambda_invocation.migrate]
}

resource "aws_lambda_event_source_mapping" "queue" {
  for_each                           = local.queues
  event_source_arn                   = aws_sqs_queue.queue[each.key].arn
  function_name                      = aws_lambda_alias.live[each.key].arn
  batch_size                         = each.value.batch_size
  maximum_batching_window_in_seconds = each.value.batch_window
  function_response_types            = each.value.function_response_types
  scaling_config {
    maximum_concurrency = each.value.maximum_concurrency
  }
}

resource "aws_iam_role" "schedule" {
  for_each = local.schedules
  name     = "${var.name}-${each.key}-schedule"
  assume_role_policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Effect    = "Allow"
    Principal = { Service = "scheduler.amazonaws.com" }
    Action    = "sts:AssumeRole"
  }] })
}

resource "aws_iam_role_policy" "schedule" {
  for_each = local.schedules
  role     = aws_iam_role.schedule[each.key].id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Effect   = "Allow"
    Action   = "lambda:InvokeFunction"
    Resource = aws_lambda_alias.live[each.key].arn
  }] })
}

resource "aws_scheduler_schedule" "schedule" {
  for_each            = local.schedules
  name                = "${var.name}-${each.key}"
  schedule_expression = each.value
  flexible_time_window {
    mode = "OFF"
  }
  target {
    arn      = aws_lambda_alias.live[each.key].arn
    role_arn = aws_iam_role.schedule[each.key].arn
    retry_policy {
      maximum_retry_attempts = 0
    }
  }
}

resource "aws_lambda_function_event_invoke_config" "schedule" {
  for_each               = local.schedules
  function_name          = aws_lambda_function.function[each.key].function_name
  qualifier              = aws_lambda_alias.live[each.key].name
  maximum_retry_attempts = 0
}
