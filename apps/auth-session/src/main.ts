import 'reflect-metadata';
import { bootService } from '@paycode/service-runtime';
import { AppModule } from './app.module';
import { env } from './config/env';

void bootService({ name: 'auth-session', env, module: read => AppModule.forEnv(read), hasPublicPaths: true });
