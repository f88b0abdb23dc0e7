export const purgeSql = {
  /** At most so many rows whose `column` lies before $1: short locks. Names are the code's own. */
  expired: (table: string, column: string, rowsMax: number) =>
    `delete from ${table} where ctid = any(array(select ctid from ${table} where ${column} < $1 limit ${rowsMax}))`,

  // By the owner's function, which removes rows past their year: this service may only add to the log.
  securityEvents: 'select purge_security_events($1) as count',
} as const;
