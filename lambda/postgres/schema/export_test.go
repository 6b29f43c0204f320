package schema

// MigrateFiles is Migrate with other files, and another wait between the tries.
var MigrateFiles = migrate

var RoleHintIn = roleHint

// Salted is a verifier with a known salt.
var Salted = salted
