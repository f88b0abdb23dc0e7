import { PaymentCodeEntity } from './codes';

/** Tables that repositories read and write; all others are used by SQL only (ADR 0048). */
export const entities = [PaymentCodeEntity];
