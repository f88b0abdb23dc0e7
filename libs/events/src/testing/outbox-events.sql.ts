/** The events of an outbox one by one, in their order, whatever row they stand in. */
export const outboxEventsSql = `
  select o.type, e.aggregateid, e.payload
    from outbox o cross join lateral rows from (string_to_table(o.aggregateid, E'\\n'), string_to_table(o.payload, E'\\n')) with ordinality
      as e(aggregateid, payload, at)
   order by o.id, e.at`;
