const ageS = (column: string) => `extract(epoch from clock_timestamp() - ${column})::float8`;

/** The audit's queries on each service's database. */
export const auditSql = {
  dispatcher: {
    ids: `select id from (
          (select transaction_id as id from delivery where transaction_id > $1 order by 1 limit $2)
          union (select transaction_id from verdict where transaction_id > $1 order by 1 limit $2)) t order by id limit $2`,
    read: `select id, d.transaction_id is not null as has_delivery, coalesce(d.reversible, false) as reversible,
                coalesce(d.stub, false) as stub, ${ageS('d.received_at')} as age_s,
                (case when d.epoch > 0 then 1 else 0 end)
                  + (select count(*) from attempt a where a.transaction_id = t.id and not (a.attempt = 1 and d.epoch > 0))::int as attempts,
                v.kind, ${ageS('v.at')} as verdict_age_s, v.started_at is not null as was_posted,
                v.outcome is not distinct from 'DECIDED BEFORE' as follows_decision
           from (select transaction_id as id from delivery where transaction_id > $1 and transaction_id <= $2
                 union select transaction_id from verdict where transaction_id > $1 and transaction_id <= $2) t
           left join delivery d on d.transaction_id = id
           left join verdict v on v.transaction_id = id`,
  },
  scheduler: {
    ids: `select id from (
          (select transaction_id as id from job where transaction_id > $1 order by 1 limit $2)
          union (select transaction_id from decision where transaction_id > $1 order by 1 limit $2)) t order by id limit $2`,
    read: `select id, j.attempt, ${ageS('j.armed_at')} as job_age_s, d.kind, d.verdict, ${ageS('d.at')} as decision_age_s
           from (select transaction_id as id from job where transaction_id > $1 and transaction_id <= $2
                 union select transaction_id from decision where transaction_id > $1 and transaction_id <= $2) t
           left join job j on j.transaction_id = id
           left join decision d on d.transaction_id = id`,
  },
  simulator: {
    ids: `select transaction_id as id from transaction where transaction_id > $1 and kind = 'PURCHASE' order by 1 limit $2`,
    // A purchase that was reversed had succeeded.
    read: `select t.transaction_id as id, t.tx_state in ('SUCCESS', 'END_REVERSED') as is_success, ${ageS('t.completed_at')} as age_s,
                count(r.*) filter (where r.tx_state = 'END_REVERSED')::int as reversals,
                count(r.*) filter (where r.tx_state <> 'END_REVERSED')::int as failed_reversals
           from transaction t left join transaction r on r.reference_transaction_id = t.transaction_id and r.kind = 'REVERSAL'
          where t.transaction_id > $1 and t.transaction_id <= $2 and t.kind = 'PURCHASE'
          group by t.transaction_id`,
  },
} as const;
