import passport from 'passport';

let registered = 0;

/**
 * A registry that files a strategy under a name of its own. Passport keeps one registry per process: two services started in one
 * process (tests, embedding) would otherwise replace each other's strategies and accept each other's tokens.
 */
export function ownNameRegistry(kind: string) {
  return {
    use(strategy: passport.Strategy): void {
      registered += 1;
      strategy.name = `${kind}-${registered}`;
      passport.use(strategy.name, strategy);
    },
  };
}
