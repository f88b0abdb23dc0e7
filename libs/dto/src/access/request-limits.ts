/** How often clients may call, as the guide for integrators says it. */
export const requestLimits = {
  /** Login challenges of one address in a minute, across replicas: ten a second are an office whose programs all log in again (T-02). */
  challengesPerAddressPerMinute: 600,
};
