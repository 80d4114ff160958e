/* Threads that share the loops of a call, and how many there may be. */
#ifndef THNN_TEAM_H
#define THNN_TEAM_H

/* The number of threads, out of so many, that a team of the calling thread can have. */
int THNN_startable(int threads);
/* True if a loop can begin at once. If all threads that could share the loop sleep, one is woken for the next loop. */
int THNN_isTeamAwake(void);
/* This thread's number within the loop that it works on. */
int THNN_teamNumber(void);
/* The default number of threads of a state: OMP_NUM_THREADS, else one thread for each processor that the process may use. */
int THNN_defaultThreads(void);
/* True if this process was forked from one that had the library. Then it works alone. */
int THNN_isForked(void);

#endif
