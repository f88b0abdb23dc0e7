import { Inject, Injectable } from '@nestjs/common';
import { InternalCallError, type InternalClient, personHeader } from '@paycode/access';
import type { AlertChoice, EndingCertificate, PersonProof, PersonProofRequest, PortalAlert, PortalAnswer } from '@paycode/dto';
import { DomainError, LOGGER, type Logger } from '@paycode/service-runtime';
import { ClientSecrets } from '../identity-providers/identity-providers.service';
import { valueOf } from '../neighbours';
import type { Person } from '../people/domain/person';
import { MerchantDirectory } from '../tenancy/merchant.directory';
import { AlertStore, type Due, type Reminded, type WaitingAlert } from './alert.store';

/** Mails an alert. auth-session finds the address by the secret, as for an invitation: the key of the portal alone has nobody mailed. */
export class AlertMailer {
  constructor(
    private readonly authSession: InternalClient,
    private readonly mails: InternalClient,
  ) {}

  /** @throws DomainError where auth-session asserts nobody; InternalCallError */
  async send(secret: string, alert: PortalAlert): Promise<void> {
    const request: PersonProofRequest = { secret };
    const answer = await this.authSession.post<PortalAnswer<PersonProof>>('/internal/console/alert', request);
    await this.mails.post('/internal/recipient-messages/alerts', alert, { [personHeader]: valueOf(answer).assertion });
  }
}

/** Certificates and keys are read so often. */
const readEveryMs = 3_600_000;

/** Certificates that the dispatcher saw at its handshakes. */
export class CertificateCalls {
  constructor(private readonly dispatcher: InternalClient) {}

  ending(): Promise<EndingCertificate[]> {
    return this.dispatcher.get<EndingCertificate[]>('/internal/endpoints/certificates');
  }
}

/** Flow: reversals that the read model noted -> mails that are due by the rules -> handed to recipient-messages, which takes each once. */
@Injectable()
export class AlertsService {
  private readonly readAtMs = new Map<Reminded, number>();

  constructor(
    private readonly store: AlertStore,
    private readonly directory: MerchantDirectory,
    private readonly certificates: CertificateCalls,
    private readonly mailer: AlertMailer,
    private readonly secrets: ClientSecrets,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** `at`: the instant of the run, for tests; the database's clock says it otherwise. */
  async run(at?: Date): Promise<void> {
    const merchantIds = await this.store.unplaced();
    const psps = await Promise.all(merchantIds.map(merchantId => this.pspOf(merchantId)));
    const known = merchantIds.flatMap((merchantId, index) => {
      const found = psps[index];
      return found ? [[merchantId, found.pspId] as const] : [];
    });
    const now = at ?? new Date();
    const due = { CERTIFICATE_ENDS: await this.due('CERTIFICATE_ENDS', now), KEY_OLD: await this.due('KEY_OLD', now) };
    await this.store.collect({ psps: new Map(known), due, seal: secret => this.secrets.seal(secret), at });
    for (const alert of await this.store.waiting()) await this.handOver(alert);
  }

  choices(person: Person): Promise<AlertChoice[]> {
    return this.store.choices(person);
  }

  choose(personId: string, choice: AlertChoice): Promise<void> {
    return this.store.choose(personId, choice);
  }

  /** By the secret of a mail. @throws DomainError 404 for one that is unknown or too old */
  async stop(secret: string): Promise<void> {
    if (await this.store.stop(secret)) return;
    const message = 'this link is too old: sign in and choose your alerts';
    throw new DomainError({ status: 404, reason: 'NO_ALERT', message });
  }

  /** Read once an hour. A later run reads them after a fault, and no other alert waits. */
  private async due(kind: Reminded, now: Date): Promise<Due[]> {
    if (now.getTime() < (this.readAtMs.get(kind) ?? -Infinity) + readEveryMs) return [];
    try {
      const due = await (kind === 'KEY_OLD' ? this.oldKeys() : this.endingCertificates());
      this.readAtMs.set(kind, now.getTime());
      return due;
    } catch (err) {
      this.log.warn(
        { event: 'alert-waits', reason: kind, err },
        'alerts about certificates or keys wait until another service answers',
      );
      return [];
    }
  }

  private async endingCertificates(): Promise<Due[]> {
    const ending = await this.certificates.ending();
    const merchantIds = ending.map(({ merchantId }) => merchantId);
    const records = merchantIds.length === 0 ? [] : await this.directory.search({ merchantIds });
    const psps = new Map(records.map(({ merchantId, pspId }) => [merchantId, pspId]));
    return ending.map(({ merchantId, endsAt }) => ({ merchantId, pspId: psps.get(merchantId) ?? null, at: endsAt }));
  }

  private async oldKeys(): Promise<Due[]> {
    return (await this.directory.oldKeys()).map(({ madeAt, ...of }) => ({ ...of, at: madeAt }));
  }

  /** undefined: nobody knows now, and the next run asks again. A merchant without a PSP waits for no other. */
  private async pspOf(merchantId: number): Promise<{ pspId: number | null } | undefined> {
    try {
      const record = await this.directory.find(merchantId);
      return { pspId: record?.pspId ?? null };
    } catch (err) {
      this.log.warn({ event: 'alert-waits', merchantId, err }, 'alerts about a merchant wait until its PSP is known');
      return undefined;
    }
  }

  /** A refusal ends this alert alone. A fault ends the run: the next one hands over the same alerts again, under the same ids. */
  private async handOver({ alertId, about, secretSealed }: WaitingAlert): Promise<void> {
    try {
      await this.mailer.send(this.secrets.open(secretSealed), about);
    } catch (err) {
      if (!isRefusal(err)) throw err;
      this.log.warn({ event: 'alert-refused', merchantId: about.merchantId, err }, 'an alert was refused and is given up');
    }
    await this.store.forgetSecret(alertId);
  }
}

function isRefusal(error: unknown): boolean {
  const isCall = error instanceof DomainError || error instanceof InternalCallError;
  return isCall && error.status !== null && error.status >= 400 && error.status < 500;
}
