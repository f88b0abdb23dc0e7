import type { ReactNode } from 'react';
import type { Stuck } from '../portal-api';

/** The lease of a replica (10 s) and some beats. */
const suspiciousMs = 15_000;

/** Replicas that own shards. Deliveries in a shard without an owner wait. */
export function ShardOwners({ stuck: { shards } }: { stuck: Stuck }): ReactNode {
  if (!shards) return null;
  const { count, withoutOwner, replicas } = shards;
  return (
    <section className="card" aria-labelledby="shards">
      <h2 id="shards">Replicas that deliver</h2>
      {withoutOwner.length === 0 ? (
        <p>Each of the {count} shards has an owner.</p>
      ) : (
        <p className="notice bad" role="status">
          {withoutOwner.length} of {count} shards have no owner, and their deliveries wait: {withoutOwner.slice(0, 20).join(', ')}
          {withoutOwner.length > 20 && ' and more'}. A living replica takes them within seconds. If they stay, no replica lives,
          or none reaches its database.
        </p>
      )}
      <ul>
        {replicas.map(({ name, shards: owned, stillMs }) => (
          <li key={name}>
            <code>{name}</code>: {owned} shards
            {stillMs >= suspiciousMs && (
              <strong>, no sign of life for {Math.round(stillMs / 1_000)} s: others take over what it owns</strong>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
