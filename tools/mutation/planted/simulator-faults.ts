import type { PlantedFault } from './planted-fault.ts';

const simulator = 'apps/payment-simulator/src';
const codesSpec = `${simulator}/codes.int.spec.ts`;
const transactionsSpec = `${simulator}/transactions.int.spec.ts`;

/** Codes, payments, refunds and reversals of the payment core. */
export const simulatorFaults: readonly PlantedFault[] = [
  {
    id: 'refunded-is-reversed',
    breaks: 'A payment that was refunded is reversed as well.',
    against: 'A-02',
    file: `${simulator}/transactions/domain/refund.ts`,
    find: "original.txState === 'SUCCESS' && compareDecimals(refundedAmountOf(original), '0') === 0;",
    put: "original.txState === 'SUCCESS';",
    specs: [transactionsSpec],
  },
  {
    id: 'psp-polls',
    breaks: 'A PSP may poll for a merchant that is notified.',
    against: 'R-7-12',
    file: `${simulator}/codes/read-codes.service.ts`,
    find: "    if (caller.accountType !== 'MERCHANT') await this.refuseNotified(code.merchantId);\n",
    put: '',
    specs: [codesSpec],
  },
  {
    id: 'reversal-built-twice',
    breaks: 'A reversal that is asked for again is built again.',
    against: 'I2',
    file: `${simulator}/transactions/reverse-transactions.service.ts`,
    find: '    if (original.reversal) {\n      report.repeated++;\n      return [];\n    }\n',
    put: '',
    specs: [`${simulator}/transactions/reverse-transactions.service.spec.ts`],
  },
  {
    id: 'reversal-not-unique',
    breaks: 'The database lets one payment be reversed twice.',
    against: 'I2',
    file: 'apps/payment-simulator/migrations/1760000000000-create-codes-and-transactions.ts',
    find: 'create unique index transaction_one_reversal',
    put: 'create index transaction_one_reversal',
    specs: [transactionsSpec],
  },
  {
    id: 'contact-not-asked',
    breaks: 'Contact data is sent to the merchant although the code did not ask for it.',
    against: 'R-2.5-16',
    file: `${simulator}/codes/pay-code.service.ts`,
    find: 'code.requestContact ? (payment.clientContact ?? undefined) : undefined,',
    put: 'payment.clientContact ?? undefined,',
    specs: [codesSpec],
  },
  {
    id: 'reference-ignored',
    breaks: 'queryRef answers for a code whatever reference is given.',
    against: 'R-4.5-1',
    file: `${simulator}/codes/read-codes.service.ts`,
    find: '    if (code.merchantReference !== query.merchantReference) throw notFound();\n',
    put: '',
    specs: [codesSpec],
  },
  {
    id: 'expiry-off-by-one',
    breaks: 'A code can be paid in the millisecond it expires in.',
    against: 'R-1-4',
    file: `${simulator}/codes/domain/code.ts`,
    find: 'code.expiresAtMs <= nowMs',
    put: 'code.expiresAtMs < nowMs',
    specs: [`${simulator}/codes/domain/code.spec.ts`],
  },
  {
    id: 'code-lifetime',
    breaks: 'A code lives for 31 minutes.',
    against: 'R-1-4',
    file: `${simulator}/codes/create-code.service.ts`,
    find: 'defaultLifeMs = 30 * 60_000;',
    put: 'defaultLifeMs = 31 * 60_000;',
    specs: [codesSpec],
  },
  {
    id: 'code-paid-twice',
    breaks: 'Two payments at the same time use a code for one use.',
    against: 'R-1-3',
    file: `${simulator}/transactions/persistence/postgres-transaction.store.ts`,
    find: 'from code where code = $1 for update`,',
    put: 'from code where code = $1`,',
    specs: [codesSpec, transactionsSpec],
  },
];
