import { queryOptions } from '@tanstack/react-query';
import { call } from '../api';
import type { MadeCode } from '../portal-api';

/** A code as this browser shows it. */
export interface TillCode extends MadeCode {
  description: string;
  useOnce: boolean;
}

export interface Wish {
  amount: string;
  currencyCode: string;
  reference: string;
  description: string;
  /** 0: for ever. */
  minutes: number;
  useOnce: boolean;
  requestTip: boolean;
}

/** Presses of the button with one content make one code, also after an answer that was lost: they have one reference and one expiry. */
export class Press {
  private last = { content: '', merchantReference: '', expiryDate: 0 };

  async make(wish: Wish): Promise<TillCode> {
    const { reference, description, minutes, ...rest } = wish;
    const content = JSON.stringify(wish);
    const isOver = this.last.expiryDate !== 0 && this.last.expiryDate <= Date.now();
    if (this.last.content !== content || isOver)
      this.last = {
        content,
        merchantReference: reference === '' ? `till-${crypto.randomUUID()}` : reference,
        expiryDate: minutes === 0 ? 0 : Date.now() + minutes * 60_000,
      };
    const { merchantReference, expiryDate } = this.last;
    const described = description === '' ? {} : { shortDescription: description };
    const made = await call('POST /till/codes', { body: { ...rest, ...described, merchantReference, expiryDate } });
    this.last.content = '';
    return { ...made, description, useOnce: wish.useOnce };
  }
}

/** Of one merchant: people of another may sign in in the same tab. */
const keyOf = (merchantId: string) => `paycode-till-${merchantId}`;

/** The code that this tab showed last: a page that is loaded again goes on with it. */
export function keptCode(merchantId: string): TillCode | undefined {
  const kept = sessionStorage.getItem(keyOf(merchantId));
  return kept === null ? undefined : (JSON.parse(kept) as TillCode);
}

export const keepCode = (merchantId: string, code: TillCode) => sessionStorage.setItem(keyOf(merchantId), JSON.stringify(code));

const everyMs = 1_000;
/** An announcement may come a while after the customer has paid. */
const lateMs = 120_000;

/** Asked again while the code may be paid, or a payment is not decided. */
export const paymentsByCodeQuery = ({ code, expiresAtMs }: TillCode) =>
  queryOptions({
    queryKey: ['till', code],
    refetchInterval: ({ state }) => {
      const isUndecided = state.data?.payments.some(({ state: each }) => each === 'CONFIRMING') ?? true;
      return isUndecided || expiresAtMs === null || Date.now() < expiresAtMs + lateMs ? everyMs : (false as const);
    },
    queryFn: () => call('GET /till/codes/{code}', { path: { code } }),
  });
