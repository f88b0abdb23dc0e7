/** The table `PostgresGuessStore` counts in, for the migration of a service that uses it. */
export const guessTableStatements: readonly string[] = [
  `create table guess_count (
     -- A digest: what was typed as an identity may be a password.
     key bytea primary key,
     failures int not null,
     counted int not null default 1,
     last_failed_at timestamptz not null,
     forget_at timestamptz not null
   )`,
  `create index guess_count_forget_at on guess_count (forget_at)`,
];
