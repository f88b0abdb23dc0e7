import { portInUseText, readyText } from './texts';

const facts = {
  baseUrl: 'https://localhost:8443',
  caFile: '.paycode/tls/ca.pem',
  home: '.paycode',
  database: 'embedded PostgreSQL 18',
  events: 'PostgreSQL',
  username: 'merchant-1001',
  password: 'secret',
  person: { email: 'owner@shop.example', password: 'hers' },
  afterMs: 4_321,
};

describe('the output of the platform', () => {
  it('prints commands that work as printed, also from another folder', () => {
    expect(readyText(facts)).toContain('\n  npm run demo\n');
    expect(readyText(facts)).toContain("curl --cacert .paycode/tls/ca.pem -u 'merchant-1001:secret'");
    expect(readyText(facts)).toContain(' https://localhost:8443/docs/\n');
    const elsewhere = readyText({ ...facts, home: "/tmp/it's here", caFile: "/tmp/it's here/tls/ca.pem" });
    expect(elsewhere).toContain(String.raw`PAYCODE_HOME='/tmp/it'\''s here' npm run demo`);
    expect(elsewhere).toContain(String.raw`curl --cacert '/tmp/it'\''s here/tls/ca.pem'`);
  });

  it('names another port when one is taken', () => {
    expect(portInUseText(8443)).toContain('PAYCODE_PORT=9443 npm start');
    expect(portInUseText(65_000)).toContain('PAYCODE_PORT=64000 npm start');
  });
});
