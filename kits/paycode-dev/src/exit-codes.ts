export const exitCodes = { good: 0, bad: 1, usage: 2, unreachable: 3, notLoggedIn: 4 } as const;
