import type { DataSource } from 'typeorm';
import { CodeStore } from '../codes.ports';
import type { PaymentCode } from '../domain/code';

interface CodeRow {
  code: string;
  merchant_id: string;
  merchant_reference: string;
  amount: string;
  currency_code: string;
  expires_at: Date | null;
  use_once: boolean;
  used_at: Date | null;
  short_description: string | null;
  request_tip: boolean;
  request_contact: boolean;
  extra_reference_name: string | null;
  extra_reference_value: string | null;
}

/** Codes in PostgreSQL; a number is never given twice. */
export class PostgresCodeStore extends CodeStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async add(code: PaymentCode): Promise<'added' | 'code-taken' | 'reference-taken'> {
    const added: unknown[] = await this.dataSource.query(
      `insert into code (code, merchant_id, merchant_reference, amount, currency_code, expires_at, use_once, short_description,
                         request_tip, request_contact, extra_reference_name, extra_reference_value)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       on conflict do nothing returning code`,
      [
        code.code,
        code.merchantId,
        code.merchantReference,
        code.amount,
        code.currencyCode,
        code.expiresAtMs === null ? null : new Date(code.expiresAtMs),
        code.useOnce,
        code.shortDescription,
        code.requestTip,
        code.requestContact,
        code.extraReferenceName,
        code.extraReferenceValue,
      ],
    );
    if (added.length > 0) return 'added';
    return (await this.find(code.code)) ? 'code-taken' : 'reference-taken';
  }

  override async find(code: string): Promise<PaymentCode | undefined> {
    const [row]: CodeRow[] = await this.dataSource.query('select * from code where code = $1', [code]);
    return row && codeFrom(row);
  }
}

function codeFrom(row: CodeRow): PaymentCode {
  return {
    code: row.code,
    merchantId: Number(row.merchant_id),
    merchantReference: row.merchant_reference,
    amount: row.amount,
    currencyCode: row.currency_code,
    expiresAtMs: row.expires_at?.getTime() ?? null,
    useOnce: row.use_once,
    isUsed: row.used_at !== null,
    shortDescription: row.short_description,
    requestTip: row.request_tip,
    requestContact: row.request_contact,
    extraReferenceName: row.extra_reference_name,
    extraReferenceValue: row.extra_reference_value,
  };
}
