import type { PaymentCode } from './domain/code';

/** Payment codes. */
export abstract class CodeStore {
  /** `code-taken`: the number exists, so draw another; `reference-taken`: the merchant used the reference before. */
  abstract add(code: PaymentCode): Promise<'added' | 'code-taken' | 'reference-taken'>;
  abstract find(code: string): Promise<PaymentCode | undefined>;
  /** The code that the merchant made for its reference. */
  abstract findByReference(merchantId: number, merchantReference: string): Promise<PaymentCode | undefined>;
}
