import { Module } from '@nestjs/common';
import { PurgeJob } from './purge.job';

@Module({ providers: [PurgeJob] })
export class HousekeepingModule {}
