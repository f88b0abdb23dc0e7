import { randomUUID } from 'node:crypto';
import passport from 'passport';

/**
 * Registers a strategy under a unique name. Passport keeps one registry per process: two services started in one
 * process (tests, embedding) would otherwise replace each other's strategies and accept each other's tokens.
 */
export function ownNameRegistry(kind: string) {
  return {
    use(strategy: passport.Strategy): void {
      strategy.name = `${kind}-${randomUUID()}`;
      passport.use(strategy.name, strategy);
    },
  };
}
