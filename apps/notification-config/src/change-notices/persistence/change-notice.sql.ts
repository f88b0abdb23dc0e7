export const changeNoticeSql = {
  // Skips locked rows, because another replica is handing them over.
  claim: `
    update change_notice set tries = tries + 1, due_at = clock_timestamp() + $2 * interval '1 millisecond'
     where notice_id in (
       select notice_id from change_notice where due_at <= statement_timestamp() order by due_at limit $1 for update skip locked)
     returning notice_id, merchant_id, kind, emails, actor, occurred_at, tries`,

  remove: 'delete from change_notice where notice_id = any($1)',
} as const;
