package checkup

// LateSQL is a statement with a tested plan.
const LateSQL = lateSQL
