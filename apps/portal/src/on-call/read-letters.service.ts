import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { Clock } from '@paycode/timing';
import { DeadLetterCalls } from './dead-letters.ports';
import { byService, letterServices, type LetterRef, type LetterService, type ServiceLetter } from './domain/letter-selection';
import { effectOf, type RedriveEffect } from './domain/redrive-effect';
import { OnCallCalls } from './on-call.ports';
import { orSilent } from '../neighbours';

export interface LettersPage {
  services: { service: LetterService; letters: ServiceLetter[]; isMore: boolean }[];
  /** Services that did not answer: their letters are missing. */
  silent: string[];
}

export type PreviewedLetter = ServiceLetter & { effect: RedriveEffect };

const shownMax = 25;

/** Flow: the services' dead letters -> shown without payloads -> what a redrive of some would do, by what dispatcher and scheduler know of their payments. */
@Injectable()
export class ReadLettersService {
  constructor(
    private readonly letters: DeadLetterCalls,
    private readonly calls: OnCallCalls,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** The latest of each service, or older ones of one. */
  async list({ service, before }: { service?: LetterService | undefined; before?: number | undefined }): Promise<LettersPage> {
    const silent: string[] = [];
    const pages = (service ? [service] : letterServices).map(async name => {
      const asked = this.letters.list(name, { before: service && before, limit: shownMax });
      const page = await orSilent(asked, { name, silent, log: this.log });
      return page
        ? [{ service: name, letters: page.letters.map(letter => ({ service: name, ...letter })), isMore: page.isMore }]
        : [];
    });
    return { services: (await Promise.all(pages)).flat(), silent };
  }

  /** Those of these that are still kept. @throws when a service does not answer */
  async find(refs: readonly LetterRef[]): Promise<ServiceLetter[]> {
    const found = byService(refs).map(async ([service, ids]) =>
      (await this.letters.find(service, ids)).map((letter): ServiceLetter => ({ service, ...letter })),
    );
    return (await Promise.all(found)).flat();
  }

  /** One after the other: so many payments are not asked about at once. */
  async preview(letters: readonly ServiceLetter[]): Promise<PreviewedLetter[]> {
    const previewed: PreviewedLetter[] = [];
    for (const letter of letters) previewed.push({ ...letter, effect: await this.effectOf(letter) });
    return previewed;
  }

  private async effectOf({ group, defect, eventAt, transactionId }: ServiceLetter): Promise<RedriveEffect> {
    const known = { group, defect, eventAt };
    if (defect !== null || transactionId === null) return effectOf({ ...known, hasDelivery: undefined, isDecided: undefined }, 0);
    const silent: string[] = [];
    const [delivery, reversal] = await Promise.all([
      orSilent(this.calls.delivery(transactionId), { name: 'dispatcher', silent, log: this.log }),
      orSilent(this.calls.reversal(transactionId), { name: 'scheduler', silent, log: this.log }),
    ]);
    const hasDelivery = silent.includes('dispatcher') ? undefined : delivery !== null;
    const isDecided = silent.includes('scheduler') ? undefined : reversal !== null && reversal.state !== 'ARMED';
    return effectOf({ ...known, hasDelivery, isDecided }, this.clock.epochMs());
  }
}
