import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { PaymentCodeEntity } from '../entities';
import type { PaymentCode } from './domain/code';

/** Codes in PostgreSQL; a number is never given twice. */
@Injectable()
export class CodeStore {
  constructor(@InjectRepository(PaymentCodeEntity) private readonly codes: Repository<PaymentCodeEntity>) {}

  /** `code-taken`: the number exists, so draw another; `reference-taken`: the merchant used the reference before. */
  async add({ expiresAtMs, isUsed: _, ...code }: PaymentCode): Promise<'added' | 'code-taken' | 'reference-taken'> {
    const expiresAt = expiresAtMs === null ? null : new Date(expiresAtMs);
    // Returns no row when the number or the merchant's reference is taken.
    const added = await this.codes
      .createQueryBuilder()
      .insert()
      .values({ ...code, expiresAt })
      .orIgnore()
      .returning('code')
      .execute();
    if ((added.raw as unknown[]).length > 0) return 'added';
    return (await this.codes.existsBy({ code: code.code })) ? 'code-taken' : 'reference-taken';
  }

  async find(code: string): Promise<PaymentCode | undefined> {
    const found = await this.codes.findOneBy({ code });
    return found ? codeFrom(found) : undefined;
  }

  /** The code that the merchant made for its reference. */
  async findByReference(merchantId: number, merchantReference: string): Promise<PaymentCode | undefined> {
    const found = await this.codes.findOneBy({ merchantId, merchantReference });
    return found ? codeFrom(found) : undefined;
  }
}

function codeFrom({ expiresAt, usedAt, createdAt: _, ...code }: PaymentCodeEntity): PaymentCode {
  return { ...code, expiresAtMs: expiresAt?.getTime() ?? null, isUsed: usedAt !== null };
}
