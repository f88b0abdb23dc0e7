import type { PlantedFault } from './planted-fault.ts';

const persistence = 'libs/persistence/src';
const roleSpec = `${persistence}/service-role.int.spec.ts`;
const databaseSql = 'apps/standalone/src/database/ensure-databases.ts';

/** Faults in the rights of a service in its database, and in its check of the database's identity. */
export const storageFaults: readonly PlantedFault[] = [
  {
    id: 'role-deletes-records',
    breaks: 'The role of a service may delete from tables that it may only add to.',
    against: 'ADR-0052',
    file: `${persistence}/rights.sql.ts`,
    find: "isInsertOnly ? 'select, insert' :",
    put: "isInsertOnly ? 'select, insert, delete' :",
    specs: [roleSpec],
  },
  {
    id: 'role-truncates',
    breaks: 'The role of a service may empty its tables.',
    against: 'ADR-0052',
    file: `${persistence}/rights.sql.ts`,
    find: "'select, insert, update, delete'} on",
    put: "'select, insert, update, delete, truncate'} on",
    specs: [roleSpec],
  },
  {
    id: 'grants-never-again',
    breaks: 'A role that is named after the last migration gets no rights.',
    against: 'ADR-0052',
    file: `${persistence}/migrate.ts`,
    find: 'const applied = await dataSource.runMigrations();\n    if (rights)',
    put: 'const applied = await dataSource.runMigrations();\n    if (rights && applied.length > 0)',
    specs: [roleSpec],
  },
  {
    id: 'owner-lets-truncate',
    breaks: 'In a new home of standalone, auth-session may empty what its migrations make.',
    against: 'ADR-0042',
    file: databaseSql,
    find: 'grant select, insert, update, delete on tables to',
    put: 'grant select, insert, update, delete, truncate on tables to',
    specs: ['apps/standalone/src/database/ensure-databases.int.spec.ts'],
  },
  {
    id: 'database-unverified',
    breaks: 'Any server is believed to be the database, whatever the URL demands.',
    against: 'ADR-0052',
    file: `${persistence}/data-source.ts`,
    find: 'url: withAuthority(options),',
    put: "url: withAuthority(options).replace('verify-full', 'no-verify'),",
    specs: [`${persistence}/ca-file.int.spec.ts`],
  },
];
