import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import { AuditLog, type ByPerson, doneBy } from '../audit';
import { type FileFormat, fileOf } from '../files/file';
import { type PageKey, pageKeyAt } from '../page-cursor';
import { MerchantDirectory } from '../tenancy/merchant.directory';
import type { Scope } from '../tenancy/scope';
import { ConcurrencyLimit } from './domain/concurrency-limit';
import { type NamedPayment, paymentColumns } from './domain/payment';
import { PaymentReader } from './payment-reader';
import type { AskedFilter } from './payments.service';

/** Filter of the export, and the position in the list at which it starts. */
export type ExportFilter = Omit<AskedFilter, 'before' | 'limit'>;
export type WantedFile = ExportFilter & { format: FileFormat; timeZone: string };

/** Rows of one file; older payments are in the next one. */
export const exportRowsMax = 100_000;
const pageRows = 1_000;
/** A download that takes longer than this is cut off; the client sees a connection that breaks. */
const exportMsMax = 300_000;

/** Flow: filter within the scope -> audit record with the person's name -> page by page into a stream with backpressure from the client. */
@Injectable()
export class ExportPaymentsService {
  private readonly running = new ConcurrencyLimit({ perPerson: 1, inAll: 4 });

  constructor(
    private readonly reader: PaymentReader,
    private readonly directory: MerchantDirectory,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 429 */
  async begin(scope: Scope, { timeZone, ...recorded }: WantedFile, by: ByPerson): Promise<Readable> {
    const { format, ...wanted } = recorded;
    const giveBack = this.running.take(by.person.personId);
    if (!giveBack) throw busy();
    try {
      await this.audit.record({ ...doneBy(by), action: 'PAYMENTS_EXPORTED', ...recordOf(scope, recorded) });
    } catch (error) {
      giveBack();
      throw error;
    }
    const pages = this.pages(scope, wanted);
    const file = fileOf(pages, { columns: paymentColumns, title: 'Payments', format, timeZone });
    const deadline = setTimeout(() => file.destroy(new Error('a file of payments took too long')), exportMsMax);
    return file.once('close', () => {
      clearTimeout(deadline);
      giveBack();
    });
  }

  private async *pages(scope: Scope, wanted: ExportFilter): AsyncGenerator<NamedPayment[]> {
    const search = wanted.search === null ? null : await this.reader.searchFor(scope, wanted.search);
    let after: PageKey | null = wanted.after;
    for (let rows = 0; rows < exportRowsMax; rows += pageRows) {
      const payments = await this.reader.list(scope, {
        ...wanted,
        search,
        after,
        before: null,
        hasNotices: true,
        limit: pageRows,
      });
      yield await this.directory.withNames(payments);
      if (payments.length < pageRows) return;
      after = pageKeyAt(payments.at(-1)!);
    }
  }
}

/** The format and the filters; what was searched for may be a name that a shop used as its reference. */
function recordOf({ merchantIds }: Scope, { search, after, ...named }: Omit<WantedFile, 'timeZone'>) {
  const given = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== null);
  const detail = {
    ...Object.fromEntries(given),
    ...(search === null ? {} : { search: 'yes' }),
    ...(after ? { after: 'yes' } : {}),
  };
  const [only] = merchantIds === 'ALL' || merchantIds.length !== 1 ? [] : merchantIds;
  return { detail, ...(only === undefined ? {} : { merchantId: only }) };
}

function busy(): DomainError {
  const message = 'a file of payments is being made: wait until it is there, then ask again';
  return new DomainError({ status: 429, reason: 'EXPORT_BUSY', message, headers: { 'retry-after': '10' } });
}
