import { inlineSql } from './inline-sql.ts';

const find = (text: string, file = 'apps/a/src/b/persistence/postgres-b.store.ts'): string[] => inlineSql(file, text);

describe('SQL in source files', () => {
  it.each([
    "const a = 'select id from job where id = $1';",
    'const a = `\n  with old as (\n    select id\n      from job)\n  delete from job using old`;',
    'await db.query(`insert into job (id) values ($1)`);',
    'await db.query(`update ${table} t set due_at = null`);',
    "await db.query('DELETE FROM job');",
    'await db.query(`create table ${name} (id bigint)`);',
  ])('%j is reported', text => {
    expect(find(`\n${text}`)).toEqual([expect.stringMatching(/postgres-b\.store\.ts:2: a statement stands in <thing>\.sql\.ts/)]);
    expect(find(text, 'tools/operate/audit/sources.ts')).toHaveLength(1);
  });

  it('each statement is reported once, where it begins', () => {
    const text = "one('delete from a');\n\ntwo(`select ${'x'} from b`);";
    expect(find(text).map(each => /:(\d+):/.exec(each)![1])).toEqual(['1', '3']);
  });

  it.each([
    '// select id from job: what this reads\nconst a = 1;',
    "throw new Error('the update of a row failed; nothing was deleted from it');",
    "await db.query('select pg_advisory_unlock($1)');",
    "import { select } from './from';",
  ])('%j is fine', text => {
    expect(find(text)).toEqual([]);
  });

  it.each([
    'apps/a/src/b/persistence/b.sql.ts',
    'apps/a/migrations/1-a.ts',
    'libs/events/src/a.migration.ts',
    'apps/a/src/b.int.spec.ts',
    'apps/a/src/testing/rig.ts',
    'tools/measure/bench/a.ts',
    'docs/a.md',
  ])('%s may hold it', file => {
    expect(find("const a = 'select id from job';", file)).toEqual([]);
  });
});
