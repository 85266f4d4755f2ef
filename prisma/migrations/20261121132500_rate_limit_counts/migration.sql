-- CreateTable, UNLOGGED: what is in it need not outlast a crash, and is written often.
CREATE UNLOGGED TABLE "rate_limit_counts" (
    "policy" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "level" DOUBLE PRECISION NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rate_limit_counts_pkey" PRIMARY KEY ("policy","subject")
);
