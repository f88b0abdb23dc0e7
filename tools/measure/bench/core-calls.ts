/** How a payment core calls for payments: what it sends, and what it takes for an answer. */
import { sampleNotification } from './sample-notification.ts';

export type CalledKind = 'payment-simulator' | 'outpost';

export interface CallForm {
  path: string;
  /** Status of the answer when all payments of a call are accepted. */
  acceptedStatus: number;
  /** Body of a call with `count` payments; `from` counts those before. */
  body(from: number, count: number): string;
  /** Payments of an accepted call. @throws when the answer says that one of them goes nowhere */
  idsOf(answer: string): number[];
}

/** The topic of every event that Outpost gets. */
export const outpostTopic = 'payment';

export const callForms: Record<CalledKind, (merchantIds: readonly number[]) => CallForm> = {
  'payment-simulator': simulatorForm,
  outpost: outpostForm,
};

function simulatorForm(merchantIds: readonly number[]): CallForm {
  const itemOf = (at: number) => {
    const merchantId = merchantIds[at % merchantIds.length]!;
    const { amount, tipAmount, currencyCode, reference, cardInfo, bankResponse, clientContact, clientBilling, clientShipping } =
      sampleNotification(at, merchantId);
    const passedThrough = { cardInfo, bankResponse, clientContact, clientBilling, clientShipping };
    return { merchantId, amount, tipAmount, currencyCode, reference, ...passedThrough };
  };
  return {
    path: '/internal/transactions',
    acceptedStatus: 201,
    body: (from, count) => JSON.stringify(Array.from({ length: count }, (_, at) => itemOf(from + at))),
    idsOf: answer => (JSON.parse(answer) as { transactionId: number }[]).map(({ transactionId }) => transactionId),
  };
}

/** One event per call, with an id of our own: it is the id that the receivers see. A tenant is a merchant. */
function outpostForm(merchantIds: readonly number[]): CallForm {
  let lastId = 0;
  return {
    path: '/api/v1/publish',
    acceptedStatus: 202,
    body: (_from, count) => {
      if (count !== 1) throw new Error(`Outpost takes one event per call, not ${count}`);
      const merchantId = merchantIds[++lastId % merchantIds.length]!;
      const data = sampleNotification(lastId, merchantId);
      return JSON.stringify({ id: String(lastId), tenant_id: String(merchantId), topic: outpostTopic, data });
    },
    idsOf: answer => {
      const { id, duplicate, destination_ids } = JSON.parse(answer) as {
        id: string;
        duplicate: boolean;
        destination_ids: string[];
      };
      if (duplicate || destination_ids.length !== 1) throw new Error(`Outpost does not deliver an event once: ${answer}`);
      return [Number(id)];
    },
  };
}
