/* Threads that share the loops of a call, and how many there may be. */
#ifndef THNN_TEAM_H
#define THNN_TEAM_H

/* How many of so many threads a team of the calling one can have. */
int THNN_startable(int threads);
/* Can a loop begin at once? If all threads sleep that could share it, one is called: it will be there for the next loop. */
int THNN_isTeamAwake(void);
/* This thread's number within the loop that it works on. */
int THNN_teamNumber(void);
/* What a state uses by default: OMP_NUM_THREADS, else one thread for each processor that the process may use. */
int THNN_defaultThreads(void);
/* Was this process forked from one that had the library? Then it works alone. */
int THNN_isForked(void);

#endif
