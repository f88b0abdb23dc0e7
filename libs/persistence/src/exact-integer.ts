import type { ValueTransformer } from 'typeorm';

/** For entities: converts a `bigint` column of ids below 2^53, which `pg` returns as text, to a number. */
export const exactInteger: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: string | null) => (value === null ? null : Number(value)),
};
