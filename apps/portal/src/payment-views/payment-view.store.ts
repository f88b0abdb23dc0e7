import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** `filter`: as it was kept. Fields of it may have gone since then. */
export interface PaymentView {
  viewId: string;
  name: string;
  filter: object;
}

/** More than a row of tabs shows. */
export const viewsMax = 20;

export type NotKept = 'TOO_MANY' | 'NAME_TAKEN' | 'UNKNOWN';

const viewSql = {
  ofPerson: `
    select view_id as "viewId", name, filter from payment_view where person_id = $1 order by created_at, view_id limit ${viewsMax}`,
  // Every change of a person's views takes this lock: two tabs do not pass the limit together, or take one name twice.
  lockPerson: 'select from person where person_id = $1 for update',
  others: `
    select count(*)::int as count, coalesce(bool_or(name_key = $2), false) as "isTaken"
      from payment_view where person_id = $1 and view_id is distinct from $3`,
  add: 'insert into payment_view (person_id, name, name_key, filter) values ($1, $2, $3, $4) returning view_id as "viewId"',
  rename: 'update payment_view set name = $3, name_key = $4 where person_id = $1 and view_id = $2',
  replace: 'update payment_view set filter = $3 where person_id = $1 and view_id = $2',
  remove: 'delete from payment_view where person_id = $1 and view_id = $2',
} as const;

/** Filters of the list of payments that people named: of one person of one account in each statement. */
@Injectable()
export class PaymentViewStore {
  constructor(private readonly dataSource: DataSource) {}

  ofPerson(personId: string): Promise<PaymentView[]> {
    return this.dataSource.query<PaymentView[]>(viewSql.ofPerson, [personId]);
  }

  add(personId: string, { name, filter }: Omit<PaymentView, 'viewId'>): Promise<{ viewId: string } | NotKept> {
    return this.dataSource.transaction(async manager => {
      const { count, isTaken } = await others(manager, { personId, name, viewId: null });
      if (isTaken) return 'NAME_TAKEN';
      if (count >= viewsMax) return 'TOO_MANY';
      const values = [personId, name, keyOf(name), filter];
      return (await manager.query<{ viewId: string }[]>(viewSql.add, values))[0]!;
    });
  }

  /** Leaves what is not given as it is. undefined: it is changed. */
  change(personId: string, { viewId, name, filter }: Partial<PaymentView> & { viewId: string }): Promise<NotKept | undefined> {
    return this.dataSource.transaction(async manager => {
      if (name !== undefined) {
        if ((await others(manager, { personId, name, viewId })).isTaken) return 'NAME_TAKEN';
        if (!(await changesOne(manager, viewSql.rename, [personId, viewId, name, keyOf(name)]))) return 'UNKNOWN';
      }
      if (filter === undefined) return undefined;
      return (await changesOne(manager, viewSql.replace, [personId, viewId, filter])) ? undefined : 'UNKNOWN';
    });
  }

  /** false: the person has no such view. */
  remove(personId: string, viewId: string): Promise<boolean> {
    return changesOne(this.dataSource.manager, viewSql.remove, [personId, viewId]);
  }
}

const keyOf = (name: string) => name.normalize('NFKC').toLowerCase();

type Others = { personId: string; name: string; viewId: string | null };

async function others(manager: EntityManager, { personId, name, viewId }: Others): Promise<{ count: number; isTaken: boolean }> {
  await manager.query(viewSql.lockPerson, [personId]);
  const values = [personId, keyOf(name), viewId];
  return (await manager.query<[{ count: number; isTaken: boolean }]>(viewSql.others, values))[0];
}

async function changesOne(manager: EntityManager, text: string, values: unknown[]): Promise<boolean> {
  const [, changed] = await manager.query<[unknown[], number]>(text, values);
  return changed === 1;
}
