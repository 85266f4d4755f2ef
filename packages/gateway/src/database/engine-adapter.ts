import { PrismaPg } from '@prisma/adapter-pg';
import { acceptFarMoments } from '@store-gateway/data';

/** Connects Prisma's engine, which reads what statements read. */
export class EngineAdapter extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    acceptFarMoments(adapter);
    return adapter;
  }
}
