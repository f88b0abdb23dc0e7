import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { type AlertChoice, type AlertRule, alertRules } from '@paycode/dto';
import { RouteConfig } from '@nestjs/platform-fastify';
import { IsBoolean, IsIn } from 'class-validator';
import { readsNotifications } from '../people/domain/person';
import { ForAnybody, FromAnywhere, SignedIn } from '../sessions/portal.guard';
import type { OpenedSession } from '../sessions/domain/session';
import { AlertsService } from './alerts.service';

export class AlertChoiceBody implements AlertChoice {
  @IsIn(alertRules)
  rule!: AlertRule;

  @IsBoolean()
  isOn!: boolean;
}

/** The alerts that a person is mailed. */
@Controller('console/api/alerts')
export class AlertsController {
  constructor(private readonly alerts: AlertsService) {}

  /** Empty for people who are neither a merchant's nor a PSP's: no rule concerns them. */
  @Get()
  async list(@SignedIn() { person }: OpenedSession): Promise<AlertChoice[]> {
    return readsNotifications(person) ? this.alerts.choices(person) : [];
  }

  @Post()
  @HttpCode(204)
  choose(@Body() { rule, isOn }: AlertChoiceBody, @SignedIn() { person }: OpenedSession): Promise<void> {
    return this.alerts.choose(person.personId, { rule, isOn });
  }

  /**
   * Ends the mails of one rule for the person who got this secret in one of them. Without a sign-in: the page of the link calls it, and mail
   * programs do (RFC 8058), with a form that says nothing more.
   */
  @Post('stop/:secret')
  @HttpCode(204)
  @ForAnybody()
  @FromAnywhere()
  @RouteConfig({ isBodyIgnored: true })
  stop(@Param('secret') secret: string): Promise<void> {
    return this.alerts.stop(secret);
  }
}
