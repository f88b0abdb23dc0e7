import { PaymentCodeEntity } from './codes';

/** Tables that repositories read and write; the others are reached by SQL alone (ADR 0048). */
export const entities = [PaymentCodeEntity];
