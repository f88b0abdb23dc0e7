/**
 * Brokers for tests, from KAFKA_BROKERS or PAYCODE_TEST_KAFKA_BROKERS; nothing when neither is set.
 * Where Kafka must be covered (PAYCODE_REQUIRE_KAFKA=1) a missing broker is an error.
 */
export function testBrokers(source: Record<string, string | undefined> = process.env): string[] | undefined {
  const brokers = source['KAFKA_BROKERS'] || source['PAYCODE_TEST_KAFKA_BROKERS'];
  if (brokers) return brokers.split(',');
  if (source['PAYCODE_REQUIRE_KAFKA'] === '1') {
    throw new Error(
      'a Kafka broker is required here: start one with `npm run kafka` and set KAFKA_BROKERS to the address that it prints',
    );
  }
  return undefined;
}
