/** SQL: a timestamptz in the format of events and responses: ISO 8601, UTC, milliseconds. */
export const iso = (column: string) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
