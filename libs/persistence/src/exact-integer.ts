import type { ValueTransformer } from 'typeorm';

/** For entities: a `bigint` column of ids below 2^53, which `pg` gives as text, as the number it is everywhere else. */
export const exactInteger: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: string | null) => (value === null ? null : Number(value)),
};
