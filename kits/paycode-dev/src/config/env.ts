/** What the command reads from the environment: keys, which do not belong on a command line, and whether colours are wanted. */
export interface Environment {
  key: string | undefined;
  newKey: string | undefined;
  isColourless: boolean;
}

export function readEnvironment(env: Record<string, string | undefined> = process.env): Environment {
  return {
    key: env['PAYCODE_WEBHOOK_KEY'],
    newKey: env['PAYCODE_WEBHOOK_NEW_KEY'],
    isColourless: (env['NO_COLOR'] ?? '') !== '',
  };
}
