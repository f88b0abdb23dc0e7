import type { PortalSandboxRequest } from '@paycode/dto';
import { SystemClock } from '@paycode/service-runtime/timing';
import type { AuditEvent, AuditLog } from '../audit';
import type { Person } from '../people/domain/person';
import type { Proven } from '../sessions/proofs';
import { SandboxCalls, SandboxEnvironment, SandboxLimits, SandboxService } from './sandbox.service';

const origin = { address: '192.0.2.1', userAgent: '', requestId: 'r' };
const proof = () => Promise.resolve({ 'x-paycode-person': 'Ann' });
const of = (tenant: Partial<Person>): Proven => ({
  origin,
  proof,
  person: {
    personId: 'p',
    email: 'a@shop.example',
    name: 'Ann',
    tenantType: 'MERCHANT',
    tenantId: '1001',
    role: 'OWNER',
    hasTotp: false,
    hasPasskey: false,
    hasPassword: true,
    language: null,
    timeZone: null,
    ...tenant,
  },
});

describe('rehearsals', () => {
  let asked: PortalSandboxRequest[];
  let proofs: unknown[];
  let recorded: AuditEvent[];
  let nowMs: number;
  beforeEach(() => ([asked, proofs, recorded, nowMs] = [[], [], [], 1_000_000]));

  const serviceIn = (environment: 'sandbox' | 'production') => {
    const post = (_: string, request: unknown, headers: unknown) => {
      asked.push(request as PortalSandboxRequest);
      proofs.push(headers);
      return Promise.resolve({ ok: true, value: { transactionId: 7, status: 'SUCCESS' } });
    };
    const client = { post, close: () => undefined } as ConstructorParameters<typeof SandboxCalls>[0];
    const calls = new SandboxCalls(client, client);
    const clock = Object.assign(new SystemClock(), { epochMs: () => nowMs });
    const audit = { record: (event: AuditEvent) => Promise.resolve(void recorded.push(event)) } as unknown as AuditLog;
    return new SandboxService(new SandboxEnvironment(environment), calls, new SandboxLimits(clock), audit);
  };
  const payment = { code: '0123456789', txState: 'SUCCESS' };

  it('are of the merchant of the person who is signed in, and on record with the name', async () => {
    await serviceIn('sandbox').pay(payment, of({}));
    expect(asked).toEqual([{ merchantId: 1001, ...payment }]);
    expect(recorded).toMatchObject([
      { action: 'SANDBOX_CODE_PAID', personName: 'Ann', merchantId: 1001, detail: { code: payment.code } },
    ]);
  });

  it('repeat a notice of this merchant alone, on record with its id (T-24)', async () => {
    await serviceIn('sandbox').repeat(7, of({}));
    expect(asked).toEqual([{ merchantId: 1001, transactionId: 7 }]);
    expect(proofs).toEqual([await proof()]);
    expect(recorded).toMatchObject([{ action: 'SANDBOX_NOTICE_REPEATED', merchantId: 1001, detail: { transactionId: '7' } }]);
  });

  it('are refused in production, whoever asks', async () => {
    const service = serviceIn('production');
    await expect(service.pay(payment, of({}))).rejects.toMatchObject({ status: 404, reason: 'NO_SANDBOX' });
    await expect(service.makeCode({ amount: '1', currencyCode: 'ZAR' }, of({}))).rejects.toMatchObject({ reason: 'NO_SANDBOX' });
    await expect(service.follow({ code: '0123456789', followUp: 'REFUND' }, of({}))).rejects.toMatchObject({
      reason: 'NO_SANDBOX',
    });
    await expect(service.repeat(7, of({}))).rejects.toMatchObject({ reason: 'NO_SANDBOX' });
    expect(asked).toEqual([]);
  });

  it.each(['PSP', 'ACQUIRER', 'OPERATOR'] as const)('are not for people of a tenant of type %s (T-24)', async tenantType => {
    await expect(serviceIn('sandbox').pay(payment, of({ tenantType }))).rejects.toMatchObject({ status: 404 });
    expect(asked).toEqual([]);
  });

  it('have a limit for each merchant, which one second lifts by one call', async () => {
    const service = serviceIn('sandbox');
    for (let call = 0; call < 120; call++) await service.pay(payment, of({}));
    await expect(service.pay(payment, of({}))).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    await service.pay(payment, of({ tenantId: '1002' }));
    nowMs += 1_000;
    await service.pay(payment, of({}));
    expect(asked).toHaveLength(122);
  });
});
