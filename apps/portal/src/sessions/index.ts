export { cookieFor, noCookie, noSsoCookie, ssoCookieFor, ssoIn } from './domain/cookie';
export * from './domain/session';
export * from './http/portal-request';
export { PORTAL_RULES, type PortalRules } from './http/portal.guard';
export { SessionEntity } from './persistence/session.entity';
export * from './sessions.module';
export * from './sessions.ports';
