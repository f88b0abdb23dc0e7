import { visit } from 'jsonc-parser';
import { DomainError, invalidField } from '../domain-error';

/**
 * Parses a request body. Refuses invalid JSON and duplicate keys (A-59: two parsers could read two different values);
 * `__proto__` keys are refused as prototype poisoning.
 */
export function parseJsonBody(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DomainError({ status: 400, code: 'INVALID_JSON', message: 'body is not valid JSON', cause });
  }
  refuseDuplicateKeys(text);
  return value;
}

function refuseDuplicateKeys(text: string): void {
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: name => {
      const keys = open.at(-1)!;
      if (name === '__proto__') throw invalidField(name, 'is not an allowed key');
      if (keys.has(name)) throw invalidField(name.slice(0, 64), 'appears more than once');
      keys.add(name);
    },
  });
}
