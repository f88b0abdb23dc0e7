import { queryOptions } from '@tanstack/react-query';
import { call } from '../api';

export const sessionsQuery = queryOptions({ queryKey: ['sessions'], queryFn: () => call('GET /sessions') });

export const passkeysQuery = queryOptions({ queryKey: ['passkeys'], queryFn: () => call('GET /passkeys') });
