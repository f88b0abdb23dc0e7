export const purgeSql = {
  /**
   * Deletes at most `rowsMax` rows whose `column` is before $1, to keep locks short. Table and column names come from
   * the code only.
   */
  expired: (table: string, column: string, rowsMax: number) =>
    `delete from ${table} where ctid = any(array(select ctid from ${table} where ${column} < $1 limit ${rowsMax}))`,

  // Uses a function of the schema's owner, which removes rows older than their retention: the service itself may only
  // add to the log.
  securityEvents: 'select purge_security_events($1) as count',
} as const;
