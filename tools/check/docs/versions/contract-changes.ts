import type { Contract, OperationContract, Schema } from './contract.ts';
import { allOf, type Both, breaks, type Changes, type Direction, noChanges, SchemaComparison } from './schema-changes.ts';

/**
 * The changes between two versions of the contract. `breaking`: a client or a receiver that was written for `before` may fail. `added`: names of new
 * operations, fields and values.
 */
export function contractChanges({ before, after }: Both<Contract>): Changes {
  const schemas = { before: before.schemas, after: after.schemas };
  const calls = {
    received: new SchemaComparison(schemas, 'received'),
    sent: new SchemaComparison(schemas, 'sent'),
  };
  const backwards = { received: calls.sent, sent: calls.received };
  return allOf([
    ...operations({ before: before.operations, after: after.operations }, calls),
    // Of a webhook Paycode is the one who asks.
    ...operations({ before: before.webhooks, after: after.webhooks }, backwards),
  ]);
}

type Comparisons = Record<Direction, SchemaComparison>;

function operations({ before, after }: Both<Record<string, OperationContract>>, comparisons: Comparisons): Changes[] {
  const kept = Object.entries(before).map(([name, was]) => {
    const is = after[name];
    if (is) return operation({ before: was, after: is }, name, comparisons);
    return was.isDeprecated ? noChanges : breaks(`${name} was removed and had not been deprecated`);
  });
  const added = Object.keys(after).filter(name => !before[name]);
  return [...kept, { breaking: [], added }];
}

function operation({ before, after }: Both<OperationContract>, name: string, { received, sent }: Comparisons): Changes {
  const statuses = Object.keys(before.answers);
  return allOf([
    before.call === after.call ? noChanges : breaks(`${name}: ${before.call} became ${after.call}`),
    credentials({ before, after }, name),
    received.compare({ before: before.parameters, after: after.parameters }, `${name} parameters`),
    after.isBodyRequired && !before.isBodyRequired ? breaks(`${name}: the body became required`) : noChanges,
    bodies({ before: before.request, after: after.request }, `${name} request`, received),
    ...statuses.map(status =>
      bodies({ before: before.answers[status]!, after: after.answers[status] }, `${name} ${status}`, sent),
    ),
  ]);
}

function credentials({ before, after }: Both<OperationContract>, name: string): Changes {
  const isOpened = after.credentials.length === 0;
  const lost = before.credentials.filter(kind => !after.credentials.includes(kind));
  const isClosed = before.credentials.length === 0 && !isOpened;
  return isClosed || (lost.length > 0 && !isOpened) ? breaks(`${name}: takes other credentials`) : noChanges;
}

interface Bodies {
  before: Record<string, Schema>;
  after: Record<string, Schema> | undefined;
}

function bodies({ before, after }: Bodies, path: string, comparison: SchemaComparison): Changes {
  if (!after) return breaks(`${path} was removed`);
  return allOf(
    Object.entries(before).map(([type, schema]) =>
      after[type] ? comparison.compare({ before: schema, after: after[type] }, path) : breaks(`${path}: ${type} was removed`),
    ),
  );
}
