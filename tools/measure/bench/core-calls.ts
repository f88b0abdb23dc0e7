/** How a payment core calls for payments: what it sends, and what it takes for an answer. */
import { sampleNotification } from './sample-notification.ts';

/** Webhook senders of others. */
export type SenderName = 'Outpost' | 'Svix';

export type CalledKind = 'payment-simulator' | SenderName;

export interface Call {
  path: string;
  body: string;
}

export interface CallForm {
  /** Status of the answer when all payments of a call are accepted. */
  acceptedStatus: number;
  /** A call with `count` payments; `from` counts those before. */
  call(from: number, count: number): Call;
  /** Payments of an accepted call. @throws when the answer says that one of them goes nowhere */
  idsOf(answer: string): number[];
}

/** The topic of every event that Outpost gets. */
export const outpostTopic = 'payment';
/** The type of every event that Svix gets. */
const svixEventType = 'payment';

export const callForms: Record<CalledKind, (merchantIds: readonly number[]) => CallForm> = {
  'payment-simulator': simulatorForm,
  Outpost: outpostForm,
  Svix: svixForm,
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
    acceptedStatus: 201,
    call: (from, count) => ({
      path: '/internal/transactions',
      body: JSON.stringify(Array.from({ length: count }, (_, at) => itemOf(from + at))),
    }),
    idsOf: answer => (JSON.parse(answer) as { transactionId: number }[]).map(({ transactionId }) => transactionId),
  };
}

/** One event per call, each with an id of our own; the merchants take turns. */
function eventCalls(name: SenderName, merchantIds: readonly number[], callOf: (id: number, merchantId: number) => Call) {
  let lastId = 0;
  return (_from: number, count: number): Call => {
    if (count !== 1) throw new Error(`${name} takes one event per call, not ${count}`);
    const id = ++lastId;
    return callOf(id, merchantIds[id % merchantIds.length]!);
  };
}

/** Receivers see our own id of an event. A tenant is a merchant. */
function outpostForm(merchantIds: readonly number[]): CallForm {
  return {
    acceptedStatus: 202,
    call: eventCalls('Outpost', merchantIds, (id, merchantId) => {
      const data = sampleNotification(id, merchantId);
      const event = { id: String(id), tenant_id: String(merchantId), topic: outpostTopic, data };
      return { path: '/api/v1/publish', body: JSON.stringify(event) };
    }),
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

/** Receivers see Svix's id of a message. An application is a merchant; the answer leaves the payload out. */
function svixForm(merchantIds: readonly number[]): CallForm {
  return {
    acceptedStatus: 202,
    call: eventCalls('Svix', merchantIds, (id, merchantId) => ({
      path: `/api/v1/app/${merchantId}/msg?with_content=false`,
      body: JSON.stringify({ eventType: svixEventType, payload: sampleNotification(id, merchantId) }),
    })),
    idsOf: answer => [numberOfMessage((JSON.parse(answer) as { id: string }).id)],
  };
}

/** Ids of Svix's messages as numbers: everything here knows payments by numbers, and receivers see nothing else of Svix that tells two apart. */

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** So many fit into a number exactly. */
const lastDigits = /[0-9A-Za-z]{8}$/;

/**
 * Of an id such as `msg_1srOrx2ZWZBpBUvZwXKQmoEYga2`: its last digits, which Svix draws by chance. Two of 100,000 share them once in some
 * 40,000 runs, and the audit then finds one of them twice.
 * @throws when it does not end in them
 */
export function numberOfMessage(id: string): number {
  const last = lastDigits.exec(id)?.[0];
  if (!last) throw new Error(`not an id of a message of Svix: ${id}`);
  return [...last].reduce((number, digit) => number * digits.length + digits.indexOf(digit), 0);
}
