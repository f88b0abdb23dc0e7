/** `User-Agent` of everything that is sent to receivers, probes and notifications alike: product and version. */
export const userAgent = 'Paycode/0.1.0';
