package checkup

// LateSQL is a statement whose plan is tested.
const LateSQL = lateSQL
