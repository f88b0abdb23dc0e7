/** Statements of the audit log. */
export const auditEventSql = {
  insert: `insert into audit_event (person_id, person_name, action, merchant_id, address, request_id, detail)
       values ($1, $2, $3, $4, $5, $6, $7)`,
} as const;
