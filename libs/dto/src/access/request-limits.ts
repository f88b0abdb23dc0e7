/** How often clients may call, as the guide for integrators says it. */
export const requestLimits = {
  /** Of one account in a second, over all its credentials and sessions, at one gateway; twice as many at once. */
  accountPerS: 250,
  /** Of one address in a second, at one gateway: two accounts behind it; twice as many at once. */
  addressPerS: 500,
  /** Login challenges of one address in a minute, across replicas: ten a second are an office whose programs all log in again (T-02). */
  challengesPerAddressPerMinute: 600,
};
