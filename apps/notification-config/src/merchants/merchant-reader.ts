import { Injectable } from '@nestjs/common';
import {
  idOf,
  type MerchantOwner,
  type MerchantPage,
  type MerchantPageRequest,
  type MerchantRecord,
  type MerchantSearch,
  merchantsOfOwnerMax,
  type OldKey,
} from '@paycode/dto';
import { DataSource, ILike, In } from 'typeorm';
import { MerchantEntity } from '../entities';

const namedMax = 50;
const oldKeysMax = 1_000;

/** The indexes hold this expression. */
const nameKey = `lower(merchant_name) collate "C"`;
const columns = 'merchant_id, merchant_name, psp_id, acquirer, status';
const recordSql = `merchant_id::float8 as "merchantId", merchant_name as "merchantName", psp_id::float8 as "pspId", acquirer, status`;

interface PageShape {
  /** Condition of the owner's merchants, on `$1`. */
  owned: string;
  hasSearch: boolean;
  hasAfter: boolean;
}

/** `$1` owner, `$2` limit, `$3` how a name begins, `$4` the merchant after which the page begins, `$5` the id that the text may be. */
const listSql = {
  // As one text: ten thousand rows cost the driver more than the database.
  ids: (owned: string) => `
    select coalesce(string_agg(m.merchant_id::text, ',' order by m.merchant_id), '') as ids
      from (select merchant_id from merchant where ${owned} order by merchant_id limit $2) m`,
  // Two reads, each by its own index: an "or" of both would read all merchants of an operator for an id that nobody has.
  page({ owned, hasSearch, hasAfter }: PageShape): string {
    const begins = `${nameKey} >= lower($3) and ${nameKey} < lower($3) || chr(1114111) and merchant_id is distinct from $5::bigint`;
    // Of the owner, so that no position in a list tells of the name of another one's merchant.
    const isBehind = `(${nameKey}, merchant_id) > (select ${nameKey}, merchant_id from merchant where merchant_id = $4 and ${owned})`;
    const where = [owned, ...(hasSearch ? [begins] : []), ...(hasAfter ? [isBehind] : [])].join(' and ');
    const byName = `(select ${columns} from merchant where ${where} order by ${nameKey}, merchant_id limit $2)`;
    const byId = `select ${columns} from merchant where ${owned} and merchant_id = $5::bigint and $4::bigint is null`;
    // A parameter that no part of a statement mentions has no type.
    const typed = 'select $1::text, $2::int, $3::text, $4::bigint, $5::bigint';
    return `with given as (${typed}) select ${recordSql} from (select 0 as place, f.* from (${byId}) f union all select 1, n.* from ${byName} n) m
      order by place, ${nameKey}, merchant_id limit $2`;
  },
  // The record of changes says when a key was made: a row of a URL changes for other reasons too.
  oldKeys: `
    select m.merchant_id::float8 as "merchantId", m.psp_id::float8 as "pspId", k.at as "madeAt" from http_notification h join merchant m using (merchant_id)
      cross join lateral (
        select at from audit_event a where a.merchant_id = m.merchant_id and a.kind in ('KEY_CREATED', 'KEY_RENEWED')
         order by a.audit_event_id desc limit 1) k
     where m.created_at < statement_timestamp() - interval '1 year' and k.at < statement_timestamp() - interval '1 year'
     order by k.at, m.merchant_id limit ${oldKeysMax}`,
};

/** Merchants by id, by name and by owner, as the portal lists them. */
@Injectable()
export class MerchantReader {
  constructor(private readonly dataSource: DataSource) {}

  /** The smallest ids first. */
  async find(search: MerchantSearch): Promise<MerchantRecord[]> {
    // Escapes the wildcards of a pattern, because the text is searched for as it stands.
    const pattern = 'named' in search ? `%${search.named.replace(/[\\%_]/g, String.raw`\$&`)}%` : '';
    const where = 'named' in search ? { merchantName: ILike(pattern) } : { merchantId: In(search.merchantIds) };
    const take = 'named' in search ? namedMax : search.merchantIds.length;
    const found = await this.dataSource.getRepository(MerchantEntity).find({ where, order: { merchantId: 'ASC' }, take });
    return found.map(recordOf);
  }

  async ids(owner: MerchantOwner): Promise<number[]> {
    const { owned, value } = ownerSql(owner);
    const [{ ids }] = await this.dataSource.query<[{ ids: string }]>(listSql.ids(owned), [value, merchantsOfOwnerMax]);
    return ids === '' ? [] : ids.split(',').map(Number);
  }

  /** A merchant whose id is the text comes first, then by name. */
  async page({ owner, search, after, limit }: MerchantPageRequest): Promise<MerchantPage> {
    const { owned, value } = ownerSql(owner);
    const text = search?.trim() ?? '';
    const statement = listSql.page({ owned, hasSearch: text !== '', hasAfter: after !== undefined });
    // One more than is answered: whether there is a next page.
    const values = [value, limit + 1, text, after ?? null, idOf(text) ?? null];
    const rows = await this.dataSource.query<MerchantRecord[]>(statement, values);
    const merchants = rows.slice(0, limit);
    return { merchants, next: rows.length > limit ? merchants.at(-1)!.merchantId : null };
  }

  /** Of merchants that are notified, more than a year old; the oldest first. */
  async oldKeys(): Promise<OldKey[]> {
    const rows = await this.dataSource.query<(Omit<OldKey, 'madeAt'> & { madeAt: Date })[]>(listSql.oldKeys);
    return rows.map(row => ({ ...row, madeAt: row.madeAt.toISOString() }));
  }
}

export function recordOf({ merchantId, merchantName, pspId, acquirer, status }: MerchantEntity): MerchantRecord {
  return { merchantId, merchantName, pspId, acquirer, status };
}

function ownerSql(owner: MerchantOwner): { owned: string; value: string | number | null } {
  if ('pspId' in owner) return { owned: 'psp_id = $1::bigint', value: owner.pspId };
  if ('acquirer' in owner) return { owned: 'acquirer = $1', value: owner.acquirer };
  if ('merchantId' in owner) return { owned: 'merchant_id = $1::bigint', value: owner.merchantId };
  return { owned: '$1::text is null', value: null };
}
