import { CreateCodesAndTransactions1760000000000 } from './1760000000000-create-codes-and-transactions';
import { RecordErasures1786000000000 } from './1786000000000-record-erasures';
import { CompleteAPaymentOnce1795000000000 } from './1795000000000-complete-a-payment-once';
import { AnnounceLate1796000000000 } from './1796000000000-announce-late';
import { KeepPayloadsInOutboxRows1805000000000 } from './1805000000000-keep-payloads-in-outbox-rows';

/** In order of application. */
export const migrations = [
  CreateCodesAndTransactions1760000000000,
  RecordErasures1786000000000,
  CompleteAPaymentOnce1795000000000,
  AnnounceLate1796000000000,
  KeepPayloadsInOutboxRows1805000000000,
];
